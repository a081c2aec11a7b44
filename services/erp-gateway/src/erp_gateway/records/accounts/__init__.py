"""What a business partner owes."""
