"""Machines that do not exist: a gearbox rig, a family of machines, a pump with a sensor of three axes."""
