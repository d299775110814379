"""Outside: the one guarded door to addresses not ours: judges, embedders, retrievers."""
