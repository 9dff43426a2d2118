/** Implements the `true` and `false` utilities, which end with a fixed exit code. */
import type { Program } from "../System.ts"

/** `true`: ends with exit code 0. Source: true(1). */
export const trueProgram: Program = () => 0

/** `false`: ends with exit code 1. Source: false(1). */
export const falseProgram: Program = () => 1
