/** Each file has the limits of a new process: a worker runs many, and their clients would wait for each other. */
Reflect.deleteProperty(globalThis, Symbol.for('social-search-sdk limiters 1'))
