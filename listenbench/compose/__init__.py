"""Composers: they draw the music of an item, in symbols, from a random stream."""
