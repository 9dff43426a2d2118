import type { Program } from "../System.ts"

/** Exit code 0. Source: true(1). */
export const trueProgram: Program = () => 0

/** Exit code 1. Source: false(1). */
export const falseProgram: Program = () => 1
