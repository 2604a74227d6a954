"""The listening test: people answer the questions of a data set in a browser.

design   which recordings each listener hears, and in which order
sounds   the tones of the headphone check, and the music for setting the volume
stages   what a listener does, one stage after the other
store    the sessions on disk
answers  the predictions file, of which nothing is lost
course   what happens when a listener begins, listens, answers
pages    what a listener sees
app      the addresses, and who may ask for what
server   the process that serves them
"""
