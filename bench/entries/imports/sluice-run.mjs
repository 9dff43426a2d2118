import "../../../src/run/mod.ts"
