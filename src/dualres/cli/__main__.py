from dualres.cli import main

main()
