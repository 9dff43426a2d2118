import { it } from "@effect/vitest"
import { expectTrees } from "../render.ts"

it("parses assignments to values, elements and arrays", () => {
  expectTrees({
    "a=b": "[cmd(a=b)]",
    "a=": "[cmd(a=∅)]",
    "a+=b": "[cmd(a+=b)]",
    "a='b'\"c\"$d": "[cmd(a='b'·\"c\"·$d)]",
    "a=~:~/b:c~": "[cmd(a=Tilde{user:}·:·Tilde{user:}·/b:c~)]",
    "a=b~": "[cmd(a=b~)]",
    "a[1]=b": "[cmd(a[1=1]=b)]",
    "a[i+1]+=c": "[cmd(a[i+1=(i + 1)]+=c)]",
    'a["b c"]=d': '[cmd(a["b c"="b c"]=d)]',
    "a[$(b)]=c": "[cmd(a[CommandSubstitution{script:[cmd(b)]}=CommandSubstitution{script:[cmd(b)]}]=c)]",
    "a=()": "[cmd(a=())]",
    "a=(b 'c' $d)": "[cmd(a=(b 'c' $d))]",
    "a=(\nb # c\n[2]=d [x y]+=e\n)": "[cmd(a=(b [2=2]=d [x y=?x y?]+=e))]",
    "a+=(b)": "[cmd(a+=(b))]",
    "a=(b) c=d e": "[cmd(a=(b) c=d e)]",
    "a[1]": "[cmd(a[·1·])]",
    "a[1 2]b c": "[cmd(a[·1 2·]·b c)]",
    "a[*]x": "[cmd(a[·*·]·x)]",
    "declare -a a=(b) c=d e": "[cmd(declare -a @a=(b) @c=d e)]",
    "export a=~/b": "[cmd(export @a=Tilde{user:}·/b)]",
    "local a[1]=b": "[cmd(local @a[1=1]=b)]",
    "typeset a+=(b)": "[cmd(typeset @a+=(b))]",
    "echo a=b c=~": "[cmd(echo a=b c=·Tilde{user:})]",
    "declare $a=b": "[cmd(declare $a·=b)]",
    "a=<(b)": "[cmd(a=ProcessSubstitution{direction:< script:[cmd(b)]})]",
    "a={b,c}": "[cmd(a={b,c})]",
    "a=(  {b,c} )": "[cmd(a=({b,c}))]",
  })
})
