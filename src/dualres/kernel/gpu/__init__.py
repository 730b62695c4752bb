"""DualRes on a GPU: `*_triton.py` hold kernels, the files beside them their buffers and launches."""
