"""Check the built site: python -m docs.site.links FOLDER."""
