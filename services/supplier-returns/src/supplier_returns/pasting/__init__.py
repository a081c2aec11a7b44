"""In: the text of a clipboard, as a spreadsheet puts it there.
Out: asked lines, and a note for each cell that can not be used as it stands; pure.
"""
