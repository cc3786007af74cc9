"""The lab: the compiled core in a browser, on a page with data of one's own in it."""

from maxmargin.lab.page import LabPage
from maxmargin.lab.plane import Plane, plane_of
from maxmargin.lab.show import show
from maxmargin.lab.state import LabState

__all__ = ["LabPage", "LabState", "Plane", "plane_of", "show"]
