"""Charts as SVG and pictures, and back."""
