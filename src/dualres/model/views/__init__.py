"""Views of a window that nothing is learned for, and the network that asks a head about each of them.

The paper's network sees spectra of short frames and was to learn, from few labels, how they come and go. Here that is
computed.
"""
