"""The documents as a site: pages from Markdown, a search that needs no server, and nothing asked of the network."""
