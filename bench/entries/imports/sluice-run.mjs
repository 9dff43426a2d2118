import "../../../src/run/run.ts"
