"""The query language of the Service Layer: options, the filter grammar, evaluation."""
