throw new Error('cannot be loaded');
