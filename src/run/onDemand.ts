/**
 * Exports what few programs need, as one module that is loaded by its first use: each further one would cut the code that
 * is loaded at the start into more pieces.
 */
export { commandAdvice } from "./commandAdvice.ts"
export { openDestination } from "./destinations.ts"
export { openTerminal } from "./openTerminal.ts"
export { parseJson, schemaError } from "./parseJson.ts"
export { standInShell } from "./standInShell.ts"
