"""An older commit's store, made by that commit's own code, brought to today's form and refused by it from then on."""
