"""Expressions and tables of a model: our own small grammar, compiled to postfix programs."""
