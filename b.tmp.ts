import { expandBraces } from "./src/shell-language/braces.ts"
const t0 = performance.now()
const span = {start:0,end:10}
const w: any = expandBraces({ _tag: "Word", parts: [{_tag:"Literal", value:"{1..900000}", span}], braces: true, span } as any, 1_000_000)
console.log(w?.length, performance.now() - t0)
