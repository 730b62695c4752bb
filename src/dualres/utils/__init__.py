"""Small helpers with no opinion: whole files, hashes, other processes, a cluster, CUDA graphs."""
