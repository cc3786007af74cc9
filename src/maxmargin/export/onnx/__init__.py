"""A model or a pipeline as a graph of ONNX."""
