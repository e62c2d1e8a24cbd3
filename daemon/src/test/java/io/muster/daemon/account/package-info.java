@NullMarked
package io.muster.daemon.account;

import org.jspecify.annotations.NullMarked;
