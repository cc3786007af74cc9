"""Models for other programs: graphs of ONNX and C files."""

from maxmargin.export.c.model import to_c
from maxmargin.export.compression import Compression
from maxmargin.export.error import ExportError
from maxmargin.export.onnx.model import to_onnx
from maxmargin.export.onnx.registry import register_skl2onnx
from maxmargin.export.report import ExportReport

__all__ = [
    "Compression",
    "ExportError",
    "ExportReport",
    "register_skl2onnx",
    "to_c",
    "to_onnx",
]
