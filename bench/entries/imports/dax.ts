import "dax"
