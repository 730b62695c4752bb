"""The service: sources, a spool, sinks, and the agent between them."""
