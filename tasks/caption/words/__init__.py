"""The words of a caption: parsed, cut into units that can be replaced, looked up, inflected."""
