echo lib
