# bnlearn's hill climbing and tabu search with the Gaussian BIC: TRAIN OUT hc|tabu.
arguments <- commandArgs(trailingOnly = TRUE)
table <- read.delim(arguments[1], check.names = FALSE, colClasses = "numeric")
search <- switch(arguments[3], hc = bnlearn::hc, tabu = bnlearn::tabu)
began <- proc.time()[["elapsed"]]
found <- search(table, score = "bic-g")
seconds <- proc.time()[["elapsed"]] - began
write.table(found$arcs, arguments[2], sep = "\t", quote = FALSE, row.names = FALSE)
cat(sprintf('{"seconds": %g, "version": "%s"}', seconds, as.character(packageVersion("bnlearn"))))
