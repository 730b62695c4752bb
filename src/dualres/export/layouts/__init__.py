"""A C99 export in the forms that build systems take: one table, and templates of what each has beside the C."""
