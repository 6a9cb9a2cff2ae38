"""Installs the packages, bundles them for a machine without a network, and reports what this machine lacks."""
