"""In: an administrator's token and the origin under which people reach the gateway.
Out: what the proxy between makes of requests and answers, by what the gateway's probe tells.
"""
