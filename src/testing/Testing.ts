/**
 * For the tests of programs that run commands: shells that start no process.
 *
 * @module
 */
export * as MockRun from "../leaves/mock/MockRun.ts"
export * from "../leaves/mock/MockShell.ts"
