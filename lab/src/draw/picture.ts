// The picture that "save" saves: the plane that is on the page has put it here.

export const picture: { png: (() => HTMLCanvasElement) | null; svg: (() => string) | null } = { png: null, svg: null };
