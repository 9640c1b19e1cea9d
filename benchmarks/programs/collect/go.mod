module collect

go 1.18
