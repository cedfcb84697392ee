/**
 * An object with other methods, and all else as it was: of the same class, and its own methods still
 * work on the object itself, whose private fields exist only there.
 */
export function withMethods<Target extends object>(target: Target, methods: object): Target {
  // A frozen object could not stand behind a proxy that gives other values.
  const shell = Object.create(Object.getPrototypeOf(target) as object | null) as Target;
  return new Proxy(shell, {
    get(_, name) {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name) as unknown;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
    set: (_, name, value) => Reflect.set(target, name, value, target),
    has: (_, name) => Object.hasOwn(methods, name) || Reflect.has(target, name),
  });
}
