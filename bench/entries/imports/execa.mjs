import "execa"
