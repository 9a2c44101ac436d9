"""What a person is told, without a traceback."""


class Trouble(Exception):
    """Something that cannot go on; its text is a sentence for whoever started the program."""


class NotHere(Trouble):
    """This machine or this user cannot run a cluster at all."""
