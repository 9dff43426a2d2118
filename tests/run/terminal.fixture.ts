/** Runs a command that needs a terminal. */
import { $ } from "../../src/run/mod.ts"

const test = "test -t 0 && test -t 1 && echo it is a terminal"
await $({ stdin: "inherit", stdout: "inherit" })`sh -c ${test}`
