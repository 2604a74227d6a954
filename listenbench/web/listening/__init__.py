"""The listening test: people answer the questions of a data set in a browser.

design   which recordings each listener hears, and in which order
sounds   the tones of the headphone check, and the music for setting the volume
stages   what a listener does, one stage after the other
store    the sessions on disk
answers  the predictions file, of which nothing is lost
course   what happens when a listener begins, listens, answers
opening  a test is opened, new or as it was left
pages    what a listener sees
ranges   parts of a sound, as browsers ask for them
guard    what every request has to pass
app      the addresses
server   the process that serves them
"""
