/**
 * A function of a fact that makes its answer once: facts never change, and stand in one summary
 * after the other. `around` is all else that the answer depends on.
 */
export function perFact<Fact extends object, Around, Made>(
  make: (fact: Fact, around: Around) => Made,
): (fact: Fact, around: Around) => Made {
  const known = new WeakMap<Fact, { readonly around: Around; readonly made: Made }>();
  return (fact, around) => {
    const before = known.get(fact);
    if (before !== undefined && before.around === around) return before.made;
    const made = make(fact, around);
    known.set(fact, { around, made });
    return made;
  };
}
