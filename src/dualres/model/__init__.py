"""DualRes itself, readable beside the paper.

Names in the code and symbols in the paper (Eq. 1-5, Appendix A):

    config.rate, hop, short, long   f_s, H, N_s, N_l
    config.crop, tokens, token_rate kappa, T, f_z
    config.width, states            D, K
    short, long                     s_j, l_j       log-magnitudes, (batch, tokens, bins)
    encoder.short, encoder.long     W_s a_s, W_l a_l
    features                        e_t            (batch, tokens, width)
    encoder.norm(features)          v_t
    memory.write_in                 the affine map of u_t
    memory.damping                  W_gamma, a_gamma
    memory.write, memory.read       the affine maps of beta, chi
    memory.log_rate, memory.pitch   lambda, rho
    delta, u, b, c                  delta_t, u_t, b_t, c_t
    theta                           theta_k = 2 pi f_k / f_z
    alpha                           alpha_t = exp(-delta_t)
    q, state                        q_t            (batch, width, states), complex
    y                               y_t            (batch, tokens, width)
    encoder.mix, encoder.gate       W_m a_m, W_g a_g
    DualRes.head                    W_h, a_h

Tensors are batch first; tokens are the second axis.
"""
