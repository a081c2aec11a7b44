"""In: the decoded text of one query option, and what the resource allows in it.
Out: the text written anew from its tokens, or a refusal that names the place, what stands there and what may.
"""
