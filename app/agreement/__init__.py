"""Agreement: takes the grades of SMEs and judges, leaves figures and the verdict."""
