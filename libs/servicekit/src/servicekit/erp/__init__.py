"""What both services know of the ERP: the only room of this library that stands on `erpclient`."""
