import pytest

from maxmargin.problems import Certificate, CertificatePart, Status

GOOD = CertificatePart(primal=2.0, dual=1.9, gap=0.05, violation=1e-4, bound=1e-12)
LOOSE = CertificatePart(primal=1.0, dual=0.9, gap=0.1, violation=1e-5, bound=1e-2)


def test_worst_counts_the_bound():
    assert Certificate((GOOD, LOOSE)).worst is LOOSE


def test_totals():
    certificate = Certificate((GOOD, LOOSE))
    assert certificate.primal == pytest.approx(3.0)
    assert certificate.dual == pytest.approx(2.8)
    assert certificate.gap == 0.1
    assert certificate.violation == 1e-4
    assert certificate.bound == 1e-2


@pytest.mark.parametrize(("part", "tol", "within"), [(GOOD, 1e-3, True), (LOOSE, 1e-3, False)])
def test_within_counts_the_bound(part, tol, within):
    assert part.within(tol) is within


def test_statuses_are_ordered_best_first():
    assert min(Status) is Status.OPTIMAL
    assert max(Status.OPTIMAL, Status.MAX_ITERATIONS) is Status.MAX_ITERATIONS
