"""What makes and checks a release; docs/design/release.md says how it is used."""
