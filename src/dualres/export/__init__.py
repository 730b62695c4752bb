"""A model for other machines: C99 for devices, ONNX for ONNX Runtime. Each export checks itself."""
