import "dax";
