/** Exports what few programs need as one module, which is loaded by its first use. */
export { commandAdvice } from "./commandAdvice.ts"
export { openDestination } from "./destinations.ts"
export { openTerminal } from "./openTerminal.ts"
export { parseJson, schemaError } from "./parseJson.ts"
export { standInShell } from "./standInShell.ts"
