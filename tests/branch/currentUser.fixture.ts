/** Prints the user that it runs as. */
import { currentUser } from "../../src/branch/currentUser.ts"

console.log(JSON.stringify(currentUser() ?? null))
